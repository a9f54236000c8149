// The classes of Unity that the package's sample needs besides, and a scene with it.
#nullable enable
using System;
using System.Reflection;

namespace UnityEngine
{
    public class MonoBehaviour { }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class SerializeFieldAttribute : Attribute { }

    public static class Debug
    {
        public static void Log(object message) => Console.WriteLine(message);
    }

    public static class GUILayout
    {
        public static void Label(string text) { }
    }
}

internal static class Scene
{
    // Main starts the objects of the scene, and leaves it when the input ends.
    private static void Main(string[] arguments)
    {
        const BindingFlags Own = BindingFlags.Instance | BindingFlags.NonPublic;
        UnityEngine.Player.Start();
        UnityEngine.Player.Do(() =>
        {
            var sample = new FirstShow();
            typeof(FirstShow).GetField("api", Own)!.SetValue(sample, arguments[0]);
            typeof(FirstShow).GetMethod("Start", Own)!.Invoke(sample, null);
        });
        Console.In.ReadToEnd();
        Environment.Exit(0);
    }
}
