"""conversation → page: what is shown at each level of detail, for all formats."""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.view.anchors import find_section
    from clew.view.build import (
        make_frame,
        make_page,
        make_run_page,
        make_section,
        page_of,
        section_of,
    )
    from clew.view.detail import Detail, level_of, shows
    from clew.view.dossier import (
        Dossier,
        DossierCommit,
        DossierDecision,
        DossierFile,
        DossierSession,
        DossierTest,
        DossierTurn,
    )
    from clew.view.index import Branch, PageIndex, calls_of, make_index
    from clew.view.layout import Layout, make_layout, make_run_layout
    from clew.view.options import ViewOptions
    from clew.view.page import (
        PAGE_SCHEMA,
        BodyPart,
        BookmarkView,
        BranchView,
        CallView,
        ChangedFile,
        CompactionView,
        ForkView,
        FrameView,
        GapView,
        Header,
        Item,
        KindCount,
        Mark,
        MessageView,
        NoteView,
        Parallel,
        ProblemNote,
        RunView,
        SectionInfo,
        SectionView,
        SessionPage,
        SourceLine,
        Thinking,
        TurnView,
        UsageView,
    )
    from clew.view.run_tree import RunSummary, RunTree, make_run_tree
    from clew.view.runs import run_label
    from clew.view.timeline import (
        HIDDEN_LANE,
        MAIN_LANE,
        Bar,
        Interval,
        Lane,
        Tick,
        Timeline,
        make_timeline,
    )

__all__ = [
    "HIDDEN_LANE",
    "MAIN_LANE",
    "PAGE_SCHEMA",
    "Bar",
    "BodyPart",
    "BookmarkView",
    "Branch",
    "BranchView",
    "CallView",
    "ChangedFile",
    "CompactionView",
    "Detail",
    "Dossier",
    "DossierCommit",
    "DossierDecision",
    "DossierFile",
    "DossierSession",
    "DossierTest",
    "DossierTurn",
    "ForkView",
    "FrameView",
    "GapView",
    "Header",
    "Interval",
    "Item",
    "KindCount",
    "Lane",
    "Layout",
    "Mark",
    "MessageView",
    "NoteView",
    "PageIndex",
    "Parallel",
    "ProblemNote",
    "RunSummary",
    "RunTree",
    "RunView",
    "SectionInfo",
    "SectionView",
    "SessionPage",
    "SourceLine",
    "Thinking",
    "Tick",
    "Timeline",
    "TurnView",
    "UsageView",
    "ViewOptions",
    "calls_of",
    "find_section",
    "level_of",
    "make_frame",
    "make_index",
    "make_layout",
    "make_page",
    "make_run_layout",
    "make_run_page",
    "make_run_tree",
    "make_section",
    "make_timeline",
    "page_of",
    "run_label",
    "section_of",
    "shows",
]

import_lazily(__name__)
