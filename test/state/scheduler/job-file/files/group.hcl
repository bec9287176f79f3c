job "groups" {
  group "first" {
    count                        = 3
    shutdown_delay               = "6s"
    stop_after_client_disconnect = "2h"
    max_client_disconnect        = "4h"
    prevent_reschedule_on_lost   = true

    restart {
      attempts         = 5
      interval         = "10m"
      delay            = "15s"
      mode             = "delay"
      render_templates = true
    }
    ephemeral_disk {
      sticky  = true
      migrate = true
      size    = 150
    }
    disconnect {
      lost_after           = "6h"
      stop_on_client_after = "5m"
      replace              = false
      reconcile            = "longest_running"
    }
    mesh {
      namespace = "team-a"
      cluster   = "default"
      partition = "p1"
    }
  }
  group "second" {
    count = "2"
    ephemeral_disk {}
  }
}
