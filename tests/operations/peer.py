"""A process that interprets scripts: one JSON list per line, ["new"] or [name, a, b]; it answers with what is seen afterwards."""

import json
import sys
from typing import Any

from .afresh import differs
from .arriving import Arrivals
from .interpreter import Driver


def answer(driver: Driver, name: str, a: int, b: int, builds: bool) -> Any:
    """Apply one operation and say what is seen; with `builds`, compare ticks with a world built afresh as well."""
    outcome = driver.do(name, a, b)
    compares = builds and not driver.is_pushed and (a ^ b) % 2 == 0
    difference = differs(driver.world) if compares else ""
    return [outcome, *driver.seen(), difference]


def main() -> None:
    options = json.loads(sys.stdin.readline())
    driver = Driver(options["most"], tuple(options["methods"]))
    arrivals, scripts = Arrivals(), 0
    if options["arriving"]:
        arrivals.install()
    for line in sys.stdin:
        order = json.loads(line)
        try:
            if order == ["new"]:
                driver = Driver(options["most"], tuple(options["methods"]))
                scripts += 1
                arrivals.begin(scripts)
                reply: Any = "new"
            else:
                arrivals.go_on()
                reply = answer(driver, *order, options["builds"])
        except AssertionError as error:
            reply = f"FAILED {error}"
        except BaseException as error:
            reply = f"FAILED {type(error).__name__}: {error}"
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
