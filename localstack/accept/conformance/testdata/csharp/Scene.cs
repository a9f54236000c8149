// Replaces the classes of Unity that only the package's sample needs, and runs the sample as a scene does.
#nullable enable
using System;
using System.Reflection;
using System.Threading;

namespace UnityEngine
{
    public class MonoBehaviour { }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class SerializeFieldAttribute : Attribute { }

    public static class Debug
    {
        public static string last = "";

        // Log writes a line, and ends the program after the last one.
        public static void Log(object message)
        {
            Console.WriteLine(message);
            if (message.ToString() == last) Environment.Exit(0);
        }
    }

    public static class GUILayout
    {
        public static void Label(string text) { }
    }
}

internal static class Scene
{
    // Main starts the objects of the scene. Its arguments are the API's address and the last line of the game.
    private static void Main(string[] arguments)
    {
        const BindingFlags Own = BindingFlags.Instance | BindingFlags.NonPublic;
        UnityEngine.Debug.last = arguments[1];
        UnityEngine.Player.Start();
        UnityEngine.Player.Do(() =>
        {
            var sample = new FirstShow();
            typeof(FirstShow).GetField("api", Own)!.SetValue(sample, arguments[0]);
            typeof(FirstShow).GetMethod("Start", Own)!.Invoke(sample, null);
        });
        Thread.Sleep(Timeout.Infinite);
    }
}
