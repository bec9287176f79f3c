job "texts" {
  meta {
    chomp         = chomp("line\n\n")
    format        = format("%s-%03d-%.1f-%t-%q-%v", "a", 7, 1.25, true, "q", [1])
    formatlist    = join("|", formatlist("%s:%d", ["a", "b"], [1, 2]))
    indent        = indent(2, "a\nb")
    join          = join("-", ["a", "b"])
    lower         = lower("AbC")
    regex_replace = regex_replace("a1b22", "[0-9]+", "#")
    replace       = replace("a.b.c", ".", "-")
    split         = join("|", split(",", "a,,b"))
    strlen        = strlen("häß")
    strrev        = strrev("abc")
    substr        = substr("hello world", 6, 5)
    title         = title("hello big world")
    trim          = trim("?!hi!?", "!?")
    trimprefix    = trimprefix("helloworld", "hello")
    trimspace     = trimspace("  a b \n")
    trimsuffix    = trimsuffix("helloworld", "world")
    upper         = upper("AbC")
  }
}
