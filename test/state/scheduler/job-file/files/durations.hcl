job "times" {
  group "g" {
    shutdown_delay               = 1500000000
    stop_after_client_disconnect = "1.5h"
    max_client_disconnect        = "0"
    restart {
      interval = "1h2m3s4ms5us6ns"
      delay    = -1
    }
    task "t" {
      kill_timeout   = "250ms"
      shutdown_delay = 2 * 1000 * 1000 * 1000
    }
  }
}
