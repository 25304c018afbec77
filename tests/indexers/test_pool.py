"""Processes that read: what crashes or hangs costs itself alone."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing import forkserver

import pytest

from postil_indexers.pool import Lost, Pool, cool_down, warm_up

TIMEOUT_S = 2.0


def work(task: str) -> str:
    """Does what its task says."""
    verb, _, argument = task.partition(" ")
    if verb == "exit":
        os._exit(int(argument))
    if verb == "kill":
        os.abort()
    if verb == "sleep":
        time.sleep(float(argument))
    if verb == "raise":
        raise ValueError(argument)
    return f"did {task}"


def imported(module: str) -> bool:
    return module in sys.modules


def killed(folder: str, task: str) -> str:
    """Is killed so many times as the task says before it is done: "2 times"."""
    if len(os.listdir(folder)) < int(task.split()[0]):
        remember(folder, "killed")
        os.kill(os.getpid(), signal.SIGKILL)
    return f"did {task}"


def remember(folder: str, task: str) -> str:
    """Leaves a file a run."""
    runs = len(os.listdir(folder))
    with open(os.path.join(folder, f"{runs}-{task}"), "x"):
        pass
    return task


def run(tasks: list[str], size: int = 2, function: Callable[[str], str] = work) -> dict[str, str | Lost]:
    with Pool[str, str](function, size, timeout_s=TIMEOUT_S) as pool:
        return dict(pool.run(tasks))


def test_every_task_is_done_once() -> None:
    tasks = [f"task {n}" for n in range(40)]
    assert run(tasks) == {task: f"did {task}" for task in tasks}


def test_nothing_to_do_starts_no_process() -> None:
    with Pool[str, str](work, 2) as pool:
        assert list(pool.run([])) == []
        assert pool._children == []


def test_a_process_that_ends_costs_the_task_it_was_at_and_no_other() -> None:
    tasks = [*(f"before {n}" for n in range(4)), "exit 3", "kill", *(f"after {n}" for n in range(4))]
    done = run(tasks)
    assert done.pop("exit 3") == Lost("crashed", "the process that read it ended with status 3")
    assert done.pop("kill") == Lost("crashed", "the process that read it was ended by SIGABRT")
    assert done == {task: f"did {task}" for task in tasks if task not in ("exit 3", "kill")}


def test_a_process_that_hangs_is_stopped_and_the_task_behind_it_is_done() -> None:
    done = run(["sleep 200", "behind it", "also behind"], size=1)
    assert done == {
        "sleep 200": Lost("timed out", "not done after 2 s"),
        "behind it": "did behind it",
        "also behind": "did also behind",
    }


def test_tasks_that_are_slow_but_done_in_time_are_not_stopped() -> None:
    done = run([f"sleep 0.{n}" for n in (7, 8, 9)], size=1)  # longer together than the limit of one
    assert list(done.values()) == ["did sleep 0.7", "did sleep 0.8", "did sleep 0.9"]


def starved(task: str) -> str:
    """Others have the processor for longer than a task may take."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # which the process below inherits
    spinning = [sys.executable, "-c", f"import time; e = time.time() + {1.6 * TIMEOUT_S}\nwhile time.time() < e: pass"]
    with subprocess.Popen(spinning):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        until = time.process_time() + 0.1
        while time.process_time() < until:
            pass
    return f"did {task}"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how long a process waited for a processor")
def test_a_task_whose_process_others_kept_from_running_is_not_late() -> None:
    assert run(["starved"], size=1, function=starved) == {"starved": "did starved"}


def test_a_slow_reader_of_the_results_is_no_reason_to_stop_a_process() -> None:
    found = {}
    with Pool[str, str](work, 1, timeout_s=TIMEOUT_S) as pool:
        for task, result in pool.run([f"task {n}" for n in range(3)]):
            time.sleep(TIMEOUT_S * 1.2)
            found[task] = result
    assert found == {f"task {n}": f"did task {n}" for n in range(3)}


def test_a_process_that_died_between_tasks_costs_none() -> None:
    with Pool[str, str](work, 1, timeout_s=TIMEOUT_S) as pool:
        results = pool.run(iter_with_a_kill(pool))
        assert [result for _, result in results] == [f"did task {n}" for n in range(6)]


def iter_with_a_kill(pool: Pool[str, str]):  # type: ignore[no-untyped-def]
    """Tasks, and between two of them the end of a process, as the system does when memory is short."""
    for n in range(6):
        if n == 4:
            deadline = time.monotonic() + 10
            while not all(child.connection.poll(0) for child in pool._children) and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(0.2)  # what it was given is done
            for child in pool._children:
                child.process.kill()
                child.process.join()
        yield f"task {n}"


@pytest.mark.skipif(sys.platform == "win32", reason="there killing a process looks as if it ended by itself")
def test_a_process_that_was_killed_costs_nothing_unless_it_happens_again(tmp_path: os.PathLike[str]) -> None:
    with Pool[str, str](functools.partial(killed, str(tmp_path)), 1) as pool:
        assert dict(pool.run(["1 time", "1 more"])) == {"1 time": "did 1 time", "1 more": "did 1 more"}
        lost = Lost("crashed", "the process that read it was ended by SIGKILL")
        assert dict(pool.run(["3 times", "1 last"])) == {"3 times": lost, "1 last": "did 1 last"}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")
def test_a_killed_process_that_others_are_forks_of_is_started_again() -> None:
    with Pool[str, str](work, 1) as pool:
        assert dict(pool.run(["one"])) == {"one": "did one"}
        server = forkserver._forkserver._forkserver_pid  # type: ignore[attr-defined]
        for child in pool._children:
            child.process.kill()
        os.kill(server, signal.SIGKILL)
        assert dict(pool.run(["two", "three"])) == {"two": "did two", "three": "did three"}


def test_a_run_inside_another_has_its_own_answers() -> None:
    outer = [f"outer {n}" for n in range(40)]
    with Pool[str, str](work, 1) as pool:
        found = []
        for task, result in pool.run(outer):
            found.append((task, result))
            if len(found) == 3:
                inner = ["outer 5", "inner"]  # one that the other run waits for as well
                assert list(pool.run(inner)) == [(task, f"did {task}") for task in inner]
        assert found == [(task, f"did {task}") for task in outer]
        assert len(pool._children) == 1


def test_processes_that_are_started_beforehand_do_the_first_tasks() -> None:
    with Pool[str, str](work, 2) as pool:
        pool.start()
        pool.start()
        processes = [child.process for child in pool._children]
        assert len(processes) == 2
        assert dict(pool.run(["one"])) == {"one": "did one"}
        assert [child.process for child in pool._children] == processes


def test_what_a_run_left_undone_is_no_answer_to_the_next() -> None:
    with Pool[str, str](work, 1) as pool:
        abandoned = pool.run([f"first {n}" for n in range(20)])
        next(abandoned)
        abandoned.close()  # type: ignore[attr-defined]
        assert list(pool.run(["second"])) == [("second", "did second")]


def test_what_the_function_raises_is_raised_here() -> None:
    with pytest.raises(ValueError, match="no good"):
        run(["raise no good"])


def test_the_function_may_carry_arguments(tmp_path: os.PathLike[str]) -> None:
    done = run(["a", "b"], size=1, function=functools.partial(remember, str(tmp_path)))
    assert done == {"a": "a", "b": "b"}
    assert sorted(os.listdir(tmp_path)) == ["0-a", "1-b"]


def test_the_processes_end_with_the_pool() -> None:
    with Pool[str, str](work, 2, timeout_s=TIMEOUT_S) as pool:
        list(pool.run(["task 1", "task 2", "task 3", "task 4"]))
        processes = [child.process for child in pool._children]
        assert len(processes) == 2
    assert [process.is_alive() for process in processes] == [False, False]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere each process starts from nothing")
def test_what_is_warmed_up_is_there_before_the_first_task() -> None:
    module = "xml.dom.pulldom"  # which nothing else needs
    cool_down()  # whatever ran before
    for modules, there in (([], False), ([module], True)):
        warm_up(modules)
        with Pool[str, bool](imported, 1) as pool:
            assert dict(pool.run([module])) == {module: there}
        cool_down()
