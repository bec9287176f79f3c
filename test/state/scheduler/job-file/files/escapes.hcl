job "escapes" {
  meta {
    dollar  = "$${not.a.reference}"
    percent = "%%{if} 100%"
    quotes  = "a \"b\" \\ \n\t."
    unicode = "\u00e9\U0001F600 é"
    signs   = "$ % $5 5%"
    heredoc = <<END
no \n escapes, but $${this} and ${NODE}
END
  }
  group "gr\u00fcn" {}
}
