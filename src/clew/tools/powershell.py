"""PowerShell: a command in PowerShell, with the input and result of Bash."""

from typing import Final

from clew.tools.bash import BashInput, BashResult, read_text
from clew.tools.tool import Tool

POWERSHELL: Final = Tool(
    names=("PowerShell",), input=BashInput, result=BashResult, read_text=read_text
)
