## Lists the addon and its version in the project settings. The classes also work if the addon is not enabled.
@tool
extends EditorPlugin
