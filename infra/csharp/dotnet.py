"""Compiles and runs C#: Roslyn (npm) on .NET Core 3.1 with an OpenSSL that this .NET supports (both PyPI).

    dotnet.py compile --out FILE [--exe] [--mono] [--reference DLL]... SOURCE...
    dotnet.py run FILE [ARGUMENT]...

The language is C# 9, Unity 2021.3's. Warnings are errors. --mono compiles for Mono's class library instead of .NET's.
"""

import argparse
import json
import os
import sys

import dotnetcore2
import psycopg2

HERE = os.path.dirname(os.path.abspath(__file__))
DOTNET = os.path.join(os.path.dirname(dotnetcore2.__file__), "bin")
OPENSSL = os.path.join(os.path.dirname(os.path.dirname(psycopg2.__file__)), "psycopg2_binary.libs")
MONO = "/usr/lib/mono/4.5"
# Invariant: ICU is not needed, because nothing here is sorted or formatted by a country's rules.
RUNTIME = {
    "runtimeOptions": {
        "tfm": "netcoreapp3.1",
        "framework": {"name": "Microsoft.NETCore.App", "version": "3.1.0"},
        "configProperties": {"System.Globalization.Invariant": True},
    }
}


def find_openssl():
    """Restarts this program so that the loader finds libssl.so.1.1. The loader reads its path only at the start."""
    if os.environ.get("LD_LIBRARY_PATH") == OPENSSL:
        return
    link = os.path.join(OPENSSL, "libssl.so.1.1")
    if not os.path.lexists(link):
        try:
            os.symlink(next(name for name in os.listdir(OPENSSL) if name.startswith("libssl-")), link)
        except FileExistsError:
            pass  # another process has made the link
    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "LD_LIBRARY_PATH": OPENSSL})


def configure(path):
    with open(path, "w") as file:
        json.dump(RUNTIME, file)


def compile_sources(o):
    from clr_loader import get_coreclr
    from pythonnet import set_runtime

    made = os.path.splitext(o.out)[0]
    configure(made + ".runtimeconfig.json")
    set_runtime(get_coreclr(runtime_config=made + ".runtimeconfig.json", dotnet_root=DOTNET))
    import clr

    sys.path.append(os.path.join(HERE, "node_modules/@autorest/csharp"))
    for name in ("System.Collections.Immutable", "Microsoft.CodeAnalysis", "Microsoft.CodeAnalysis.CSharp"):
        clr.AddReference(name)
    from Microsoft.CodeAnalysis import DiagnosticSeverity, MetadataReference, OutputKind, ReportDiagnostic, SyntaxTree
    from Microsoft.CodeAnalysis.CSharp import CSharpCompilation, CSharpCompilationOptions, CSharpParseOptions, CSharpSyntaxTree, LanguageVersion
    from System import AppContext
    from System.Collections.Generic import List
    from System.IO import File

    libraries = AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES").split(":")
    if o.mono:
        libraries = [os.path.join(MONO, name + ".dll") for name in ("mscorlib", "System", "System.Core", "System.Net.Http")]
    references = List[MetadataReference]()
    for path in libraries + o.reference:
        references.Add(MetadataReference.CreateFromFile(path))
    language = CSharpParseOptions(LanguageVersion.CSharp9)
    trees = List[SyntaxTree]()
    for path in o.sources:
        with open(path, encoding="utf-8") as file:
            trees.Add(CSharpSyntaxTree.ParseText(file.read(), language, path))
    kind = OutputKind.ConsoleApplication if o.exe else OutputKind.DynamicallyLinkedLibrary
    options = CSharpCompilationOptions(kind).WithGeneralDiagnosticOption(ReportDiagnostic.Error)
    out = File.Create(o.out)
    result = CSharpCompilation.Create(os.path.basename(made), trees, references, options).Emit(out)
    out.Close()
    if not result.Success:
        os.remove(o.out)
        sys.exit("\n".join(d.ToString() for d in result.Diagnostics if d.Severity == DiagnosticSeverity.Error))


def main():
    find_openssl()
    program = os.path.join(DOTNET, "dotnet")
    os.chmod(program, 0o755)  # the package's file may not be executed
    if sys.argv[1:2] == ["run"]:
        os.execv(program, [program, *sys.argv[2:]])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options = parser.add_subparsers(required=True).add_parser("compile")
    options.add_argument("--out", required=True)
    options.add_argument("--exe", action="store_true")
    options.add_argument("--mono", action="store_true")
    options.add_argument("--reference", action="append", default=[])
    options.add_argument("sources", nargs="+")
    compile_sources(parser.parse_args())


main()
