from clew.analytics import ContextSample
from clew.render.site.context_chart import WIDTH, make_context_chart

WIDEST_DIGIT = 8.0


def sample(turn: int) -> ContextSample:
    return ContextSample(
        message_id=f"msg_{turn}",
        agent_run_id=None,
        turn=turn,
        epoch=0,
        at="2026-11-14T14:00:00Z",
        model="claude-opus-4-6",
        tokens={"prompts": 1_000},
        total=1_000,
        window=200_000,
        is_window_known=False,
        is_estimated=True,
        cost_nano_usd=None,
    )


def test_every_number_of_a_turn_ends_inside_the_chart() -> None:
    for turns in range(2, 700, 7):
        chart = make_context_chart([sample(1000 + turn) for turn in range(turns)], {}, [])
        assert chart is not None
        named = [column for column in chart.columns if column.turn]

        assert named
        assert [one.turn for one in named if one.x + WIDEST_DIGIT * len(one.turn) > WIDTH] == []
