# SPDX-License-Identifier: Apache-2.0
"""The probe tells the host exact times, and carries data as it is."""

from bench import KeptRun, busy_ns, execution_ns
from scenario import BOARD, DATA, LOOPS, STALL_NS

from firesteel.boards.profile import load_profile
from firesteel.boards.result import Mark

PEER = load_profile("peer")


def between(run: KeptRun, first: str, last: str) -> tuple[Mark, Mark]:
    """Two of the board's marks, by name."""
    node = run.run.nodes["board"]
    return node.mark(first), node.mark(last)


def test_marks_come_in_order(pair: KeptRun) -> None:
    assert [mark.name for mark in pair.run.nodes["board"].marks] == [
        "job-begin",
        "ping.begin",
        "ping.end",
        "stall.begin",
        "stall.end",
        "busy.begin",
        "busy.end",
        "job-end",
        "power-off",
    ]


def test_data_comes_back_as_it_was(pair: KeptRun) -> None:
    sent_back = pair.run.nodes["board"].data
    assert {name: sent_back.get(name) for name in DATA} == DATA


def test_idle_stalled_and_busy_time_make_up_all_time(pair: KeptRun) -> None:
    for node, profile in (("board", BOARD), ("peer", PEER)):
        for mark in pair.run.nodes[node].marks:
            busy = busy_ns(mark.time_ns, mark.idle_ns, mark.stalled_ns)
            assert abs(busy - execution_ns(mark.instructions, profile)) <= 2, (node, mark)
            assert 0 <= mark.user_ns <= busy


def test_a_stall_charges_what_it_says(pair: KeptRun) -> None:
    begin, end = between(pair, "stall.begin", "stall.end")
    assert end.stalled_ns - begin.stalled_ns == STALL_NS
    assert STALL_NS < end.time_ns - begin.time_ns < STALL_NS + 20_000_000


def test_user_time_of_a_known_program(pair: KeptRun) -> None:
    begin, end = between(pair, "busy.begin", "busy.end")
    known = execution_ns(2 * LOOPS + 4, BOARD)
    user = end.user_ns - begin.user_ns
    # Besides the program there is `probe` itself, which starts it and waits.
    assert known <= user <= known + 2_000_000
    assert end.idle_ns == begin.idle_ns
    assert end.time_ns - begin.time_ns < known * 1.1


def test_idle_boards_are_idle(pair: KeptRun) -> None:
    begin, end = between(pair, "ping.begin", "ping.end")
    assert (end.idle_ns - begin.idle_ns) / (end.time_ns - begin.time_ns) > 0.3


def test_ports_count_what_the_trace_shows(pair: KeptRun) -> None:
    for node in ("board", "peer"):
        trace = pair.trace(node)
        port = pair.run.nodes[node].mark("power-off").ports["eth0"]
        taken = [frame for frame in trace.received if frame.taken]
        assert (port.tx_frames, port.rx_frames) == (len(trace.sent), len(taken))
        assert port.tx_bytes == sum(frame.length for frame in trace.sent)
        assert port.rx_bytes == sum(frame.length for frame in taken)
        assert port.rx_dropped == len(trace.received) - len(taken)
        # A bulk sender has more ready than the wire takes.
        assert port.tx_stalls > 0
        assert sum(port.tx_sizes) == port.tx_frames
        assert sum(port.rx_sizes) == port.rx_frames
        full = sum(1280 <= frame.length <= 2559 for frame in trace.sent)
        assert port.tx_sizes[7] == full > 4000
