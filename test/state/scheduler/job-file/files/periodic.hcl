job "nightly" {
  type = "batch"
  periodic {
    enabled          = true
    cron             = "15 2 * * *"
    prohibit_overlap = true
    time_zone        = "Europe/Berlin"
  }
}
