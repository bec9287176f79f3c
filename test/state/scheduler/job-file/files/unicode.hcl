job "größe-😀" {
  name = "é\u0301"
  meta {
    größe  = "ÄÖÜ"
    日本    = "東京"
    emoji  = "👨‍👩‍👧 ${upper("straße")} ${strlen("👨‍👩‍👧é")}"
  }
}
