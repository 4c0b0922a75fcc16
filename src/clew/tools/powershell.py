"""PowerShell: a command in PowerShell, with the input and result of Bash."""

from functools import partial
from typing import Final

from clew.tools.bash import BashInput, BashResult, label, read_text, shell_parts, shell_state
from clew.tools.tool import Tool

POWERSHELL: Final = Tool(
    names=("PowerShell",),
    input=BashInput,
    result=BashResult,
    label=label,
    parts=partial(shell_parts, language="powershell"),
    state=shell_state,
    read_text=read_text,
)
