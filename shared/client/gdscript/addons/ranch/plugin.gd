## Lists the addon and its version in the project settings. The classes work whether it is enabled or not.
@tool
extends EditorPlugin
