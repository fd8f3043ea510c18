"""Plan for machines that are not this one: what they have is not asked, but taken."""

from msgspec.structs import replace

from benchdb.collecting.programs import Capability, Description, survey
from benchdb.collecting.request import DEVICES, Request
from benchdb.errors import UsageError


def assumed(request: Request, *, isolated: bool = False) -> list[Description]:
    """Return the frameworks asked for as if all of them and their devices were there.

    A GPU is there if it is asked for. An item that finds it is not leaves a failed run.
    """
    if not request.frameworks:
        raise UsageError(
            "--elsewhere cannot ask what the other machines have; "
            "name it with --framework"
        )
    asked = tuple(dict.fromkeys(request.frameworks))
    return [_whole(one, request) for one in survey(asked, isolated=isolated)]


def _whole(one: Description, request: Request) -> Description:
    if not one.tiers:  # it could not even say what it knows
        raise UsageError(one.why or f"with_{one.framework} says nothing of itself")
    there = [name for name in DEVICES if name == "cpu" or request.devices.get(name)]
    return replace(
        one,
        devices={name: Capability(available=True) for name in there},
        workloads=(*one.workloads, *one.missing),
        missing={},
    )
