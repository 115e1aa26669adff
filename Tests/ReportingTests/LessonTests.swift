import Testing

@testable import Reporting

@Suite struct LessonTests {
  private static let text = """
    A **bold claim** about `dispatch_once`,
    on two lines.

    What to look at:

    - `held`: how long the thread that runs
      the method is not free
    - *late*
      - inner one
      - inner two

    1. first
    2. second

    ```
    let x = 1

      indented   as it is
    ```

        code too

    Done: 2 * 3 * 4 and snake_case_name.
    """

  @Test func `a terminal shows a lesson with hanging list items and without Markdown signs`() {
    #expect(
      Lesson(Self.text).lines(TextStyle(width: 30)).joined(separator: "\n") == """
        A bold claim about
        dispatch_once, on two lines.

        What to look at:

        • held: how long the thread
          that runs the method is not
          free
        • late
          • inner one
          • inner two

        1. first
        2. second

            let x = 1

              indented   as it is

            code too

        Done: 2 * 3 * 4 and
        snake_case_name.
        """)
  }

  @Test func `colour codes have no width, and a colour can end within a word`() {
    let lines = Lesson("**Who** leaves `last`, matters").lines(TextStyle(width: 80, color: true))
    #expect(lines == ["\u{1b}[1mWho\u{1b}[0m leaves \u{1b}[36mlast\u{1b}[0m, matters"])
    #expect(Lesson("- a").lines(TextStyle(unicode: false)) == ["- a"])
  }

  @Test func `a page shows the lesson as escaped HTML`() {
    let html = Lesson("Is `a < b`?\n\n- **yes** & no\n- <script>\n\n```\na < b\n```").markup.description
    #expect(
      html == """
        <p>Is <code>a &lt; b</code>?</p>
        <ul>
        <li><strong>yes</strong> &amp; no</li>
        <li>&lt;script&gt;</li>
        </ul>
        <pre><code>a &lt; b</code></pre>

        """)
  }

  @Test(arguments: [
    "", "\n\n", "**", "*", "`", "``` ", "- ", "-", "1.", "* * *", "**a", "`a", "a**", "    ", "- - - a", "#", "# ",
    "\\",
    "- a\n\n\n- b", "```", "```\n", "a\n- b\nc", String(repeating: "- ", count: 200),
  ])
  func `Markdown signs without a counterpart are text`(_ markdown: String) {
    let lesson = Lesson(markdown)
    _ = lesson.lines(TextStyle(width: 1)) + [lesson.markup.description]
    if markdown == "**a" { #expect(lesson.lines(TextStyle()) == ["**a"]) }
  }
}
