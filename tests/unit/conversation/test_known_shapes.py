"""The shapes that are known to break readers of transcripts, and the tests that pin them."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SHAPES = {
    "lone surrogates": "test_messages.py::test_half_a_surrogate_pair_does_no_harm",
    "hundreds of agents": "test_run_kinds.py::test_hundreds_of_agents_are_all_linked",
    "torn last line": "test_messages.py::test_a_torn_last_line_is_kept_in_its_place",
    "two records on one line": "test_messages.py::test_two_records_on_one_line_are_two_messages",
    "line of many megabytes": "test_messages.py::test_a_line_of_many_megabytes_is_one_message",
    "NUL bytes": "test_messages.py::test_nul_bytes_after_a_crash_are_shown_as_what_they_are",
    "null stop reason": (
        "test_usage.py::test_usage_of_an_answer_without_a_stop_reason_is_a_lower_bound"
    ),
    "additive fragments": "test_messages.py::test_all_fragments_of_an_answer_are_one_message",
    "cumulative fragments": "test_messages.py::test_a_block_that_is_written_again_counts_once",
    "fragments out of order": (
        "test_messages.py::test_without_a_place_fragments_follow_the_ones_they_hang_on"
    ),
    "answer split over parent and agent": (
        "test_shared_answers.py"
        "::test_the_rest_of_a_main_answer_in_an_agents_file_belongs_to_the_main_thread"
    ),
    "same message id, new request id": (
        "test_usage.py::test_an_answer_that_comes_again_with_a_new_request_counts_once"
    ),
    "largest output is not the first": (
        "test_usage.py::test_usage_is_the_largest_snapshot_and_counts_once"
    ),
    "stop-hook race": "test_threads.py::test_a_stop_hook_that_races_the_next_prompt_is_no_fork",
    "api_error branch": "test_threads.py::test_failed_tries_beside_the_answer_are_no_fork",
    "parallel tools": "test_threads.py::test_parallel_calls_and_their_results_are_no_fork",
    "progress in the chain": (
        "test_graph.py::test_parents_may_be_progress_rows_attachments_and_system_rows"
    ),
    "two terminals": "test_threads.py::test_two_terminals_on_one_session_make_two_threads",
    "phantom parent after resume": (
        "test_graph.py::test_a_row_whose_parent_is_nowhere_hangs_on_the_row_before_it"
    ),
    "cyclic parents": "test_graph.py::test_a_circle_is_cut_at_its_first_row_and_reported",
    "rows of another session": ("test_graph.py::test_rows_of_another_session_in_the_file_are_kept"),
    "duplicate uuids": "test_graph.py::test_a_row_that_is_written_twice_is_shown_once_and_listed",
    "multi-root compaction": (
        "test_compaction.py::test_several_compactions_without_a_past_are_still_one_thread"
    ),
    "boundary into another file": (
        "test_compaction.py::test_the_past_may_stand_in_another_file_of_the_session"
    ),
    "boundary into another session": (
        "test_lineage.py::test_a_compaction_whose_past_is_in_another_session_goes_on_from_it"
    ),
    "boundary into nowhere": (
        "test_compaction.py::test_a_past_that_is_nowhere_is_reported_and_the_thread_goes_on"
    ),
    "preservedSegment, preservedMessages": (
        "test_compaction.py::test_what_was_preserved_tells_where_the_past_ends"
    ),
    "/branch duplicates": (
        "test_threads.py::test_rows_that_a_branched_session_writes_twice_are_listed"
    ),
    "fork without a mark": (
        "test_lineage.py::test_a_fork_knows_its_origin_and_counts_only_its_own"
    ),
    "resume under new uuids": ("test_lineage.py::test_a_resumed_copy_knows_what_it_goes_on_from"),
    "image prompt logged thrice": (
        "test_threads.py::test_one_prompt_with_pictures_that_is_written_thrice_is_no_fork"
    ),
    "async agent with notification": (
        "test_run_kinds.py::test_a_background_run_ends_with_its_notification"
    ),
    "agent resumed by SendMessage": (
        "test_run_kinds.py::test_a_run_that_is_sent_another_message_goes_on_in_its_own_file"
    ),
    "nested agents, depth 3": "test_agent_runs.py::test_runs_are_nested_to_any_depth",
    "workflow running": (
        "test_run_kinds.py::test_agents_of_a_workflow_hang_on_its_call_and_bear_their_labels"
    ),
    "workflow finished": (
        "test_run_kinds.py::test_a_workflow_that_has_ended_tells_its_labels_in_its_record"
    ),
    "teammates in the process": (
        "test_run_kinds.py::test_a_teammate_hangs_on_the_call_that_spawned_it"
    ),
    "teammates as sessions": "test_lineage.py::test_a_teammate_knows_its_lead",
    "externalised tool result": (
        "test_tool_calls.py::test_a_long_result_is_taken_from_the_file_it_was_moved_to"
    ),
    "queue remove and popAll": (
        "test_steering.py::test_words_that_only_the_queue_holds_are_steering_in_their_place"
    ),
    "continued-in": "test_lineage.py::test_a_session_that_says_where_it_goes_on_is_known_there",
    "atis-latch": (
        "test_session.py::test_a_session_of_bookkeeping_alone_has_no_title_and_no_messages"
    ),
    "unknown type without uuid": (
        "test_messages.py::test_a_row_of_an_unknown_type_without_a_uuid_is_shown_as_it_stands"
    ),
    "summary of another session": (
        "test_session.py::test_an_old_summary_of_another_session_is_not_this_one_s_title"
    ),
    "ai-title after custom-title": ("test_session.py::test_the_title_is_the_one_the_person_gave"),
    "empty thinking with signature": (
        "test_messages.py::test_thinking_that_is_only_signed_is_kept_without_words"
    ),
    "document block": "test_blocks.py::test_a_document_keeps_its_kind_size_and_bytes",
    "worktree": "test_session.py::test_a_worktree_elsewhere_is_known_by_what_the_client_tells",
    "Windows and WSL paths": "test_session.py::test_a_worktree_belongs_to_its_repository",
    "moved repository": (
        "test_session.py::test_a_session_whose_folder_moved_belongs_to_where_it_went"
    ),
    "colliding folders": (
        "../test_sessions.py::test_projects_that_share_an_encoded_folder_stay_apart"
    ),
    "linked project folder": "../test_sessions.py::test_a_linked_project_folder_is_read",
    "CLAUDE_CONFIG_DIR": "../test_sessions.py::test_roots_are_those_of_the_environment",
    "deleted source": "../test_sessions.py::test_a_file_that_went_away_is_left_out",
    "clock skew": (
        "test_graph.py::test_times_that_run_backwards_do_not_change_the_order_of_a_chain"
    ),
    "midnight": "test_graph.py::test_a_session_may_cross_midnight",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_known_shape_has_its_test(shape: str) -> None:
    file, _, name = SHAPES[shape].partition("::")

    source = (HERE / file).read_text("utf-8")

    assert re.search(rf"^def {name}\(", source, re.MULTILINE)
