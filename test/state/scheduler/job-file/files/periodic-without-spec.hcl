job "never" {
  periodic {
    enabled = false
    cron    = null
  }
}
