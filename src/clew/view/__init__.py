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
    from clew.view.index import Branch, PageIndex, calls_of, make_index
    from clew.view.layout import Layout, make_layout, make_run_layout
    from clew.view.options import ViewOptions
    from clew.view.page import (
        PAGE_SCHEMA,
        BodyPart,
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
    from clew.view.timeline import MAIN_LANE, Bar, Interval, Lane, Tick, Timeline, make_timeline

__all__ = [
    "MAIN_LANE",
    "PAGE_SCHEMA",
    "Bar",
    "BodyPart",
    "Branch",
    "BranchView",
    "CallView",
    "ChangedFile",
    "CompactionView",
    "Detail",
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
    "PageIndex",
    "Parallel",
    "ProblemNote",
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
    "make_section",
    "make_timeline",
    "page_of",
    "section_of",
    "shows",
]

import_lazily(__name__)
