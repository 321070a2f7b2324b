"""Pages on the Python interface: from the stubs, which a test keeps equal to the module, and from modules in Python."""

import ast

from prose import escaped, markdown


def documented(node):
    return ast.get_docstring(node) or ""


def decorated(node, kind):
    return any(isinstance(each, kind) and (kind is ast.Attribute or each.id == "property") for each in node.decorator_list)


def signature(node, name):
    arguments = node.args
    every = [*arguments.args, *arguments.kwonlyargs]
    defaults = [None] * (len(arguments.args) - len(arguments.defaults)) + arguments.defaults + arguments.kw_defaults
    parts = []
    for argument, default in zip(every, defaults):
        if argument.arg == "self":
            continue
        if arguments.kwonlyargs and argument is arguments.kwonlyargs[0] and not arguments.vararg:
            parts.append("*")
        text = argument.arg
        typed = argument.annotation is not None and ast.unparse(argument.annotation) != "Any"
        if typed:
            text += f": {ast.unparse(argument.annotation)}"
        if default is not None:
            text += (" = " if typed else "=") + ast.unparse(default)
        parts.append(text)
    if arguments.vararg:
        parts.append(f"*{arguments.vararg.arg}")
    if arguments.kwarg:
        parts.append(f"**{arguments.kwarg.arg}")
    back = f" -> {ast.unparse(node.returns)}" if node.returns is not None and name[0].islower() and ast.unparse(node.returns) != "Any" else ""
    line = f"{name}({', '.join(parts)}){back}"
    if len(line) <= 88:
        return line
    return f"{name}(\n    " + ",\n    ".join(parts) + f"){back}"


def function(node, name):
    return f"\n```python\n{signature(node, name)}\n```\n\n{markdown(documented(node))}"


def class_section(node):
    text = f"\n## {node.name}\n\n{markdown(documented(node))}"
    members = [each for each in node.body if isinstance(each, ast.FunctionDef) and not decorated(each, ast.Attribute)]
    settable = {each.name for each in node.body if isinstance(each, ast.FunctionDef) and decorated(each, ast.Attribute)}
    for each in members:
        if each.name == "__init__":
            text += function(each, node.name)
    rows = [each for each in members if decorated(each, ast.Name)]
    if rows:
        typed = any(each.returns is not None for each in rows)
        text += "\n| property | type | meaning |\n|---|---|---|\n" if typed else "\n| property | meaning |\n|---|---|\n"
        for each in rows:
            kind = f" `{ast.unparse(each.returns)}` |" if each.returns is not None else " |" if typed else ""
            meaning = escaped(" ".join(documented(each).split()))
            text += f"| `{each.name}` |{kind} {meaning}{' Can be set.' if each.name in settable else ''} |\n"
    for each in members:
        if not each.name.startswith("_") and each not in rows:
            text += function(each, each.name)
    return text


# Parts of modules that users have no need of.
INTERNAL = ("Progress", "main")


def module_page(name, source):
    """A module in Python; methods that only override a documented one are left out."""
    tree = ast.parse(source)
    opening = ast.get_docstring(tree, clean=False)  # it is not indented, but for the code in it
    text = f"# {name}\n\n{markdown(opening).replace('```text', '```python')}"
    public = [node for node in tree.body if not getattr(node, "name", "_").startswith("_") and node.name not in INTERNAL]
    functions = [node for node in public if isinstance(node, ast.FunctionDef)]
    if functions:
        text += "\n## Functions\n" + "".join(function(node, f"{name.rpartition('.')[2]}.{node.name}") for node in functions)
    for node in public:
        if isinstance(node, ast.ClassDef):
            node.body = [each for each in node.body
                         if isinstance(each, ast.Expr) or getattr(each, "name", "") == "__init__" or documented_function(each)]
            text += class_section(node)
    return text


def documented_function(node):
    return isinstance(node, ast.FunctionDef) and documented(node)


def python_page(stubs):
    tree = ast.parse(stubs)
    text = f"# Python\n\n{markdown(documented(tree))}\n[Script in Python](../howto/python.md) shows how the parts are used.\n"
    text += "\n## Functions\n" + "".join(
        function(node, f"talus.{node.name}") for node in tree.body if isinstance(node, ast.FunctionDef))
    return text + "".join(class_section(node) for node in tree.body if isinstance(node, ast.ClassDef))
