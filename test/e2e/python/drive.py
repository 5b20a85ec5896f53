"""Drives an MCP server with the protocol's own SDK for Python.

Reads {"command": [...]} or {"url": ...}, and "steps", from stdin: each step is [method of the session, arguments by name]. Prints one JSON
list: what each step gave, as the SDK's own models write it, or the error that it raised.
"""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client
from mcp.shared.exceptions import McpError
from mcp.types import PromptReference, ResourceTemplateReference

REFERENCES = {"ref/prompt": PromptReference, "ref/resource": ResourceTemplateReference}


def arguments_of(step):
    given = dict(step)
    if "ref" in given:
        given["ref"] = REFERENCES[given["ref"]["type"]](**given["ref"])
    return given


async def run(session, steps):
    hello = await session.initialize()
    results = [hello.model_dump(mode="json", by_alias=True, exclude_unset=True)]
    for method, arguments in steps:
        try:
            result = await getattr(session, method)(**arguments_of(arguments))
            results.append(result.model_dump(mode="json", by_alias=True, exclude_unset=True))
        except (McpError, RuntimeError) as error:
            results.append({"raised": type(error).__name__, "says": str(error)})
    return results


async def main(task):
    if "url" in task:
        async with streamablehttp_client(task["url"]) as (read, write, _), ClientSession(read, write) as session:
            return await run(session, task["steps"])
    program, *words = task["command"]
    with open("/dev/null", "w") as quiet:
        async with stdio_client(StdioServerParameters(command=program, args=words), errlog=quiet) as (read, write):
            async with ClientSession(read, write) as session:
                return await run(session, task["steps"])


print(json.dumps(asyncio.run(main(json.load(sys.stdin)))))
