variables {
  ports = { https = 443, http = 80 }
  names = ["a", "b"]
}
variable "sets" {
  type    = set(string)
  default = ["y", "x"]
}
job "generated" {
  dynamic "group" {
    for_each = var.names
    labels   = ["group-${group.value}"]
    content {
      count = group.key + 1
      network {
        port "fixed" {}
        dynamic "port" {
          for_each = var.ports
          iterator = it
          labels   = [it.key]
          content {
            static = it.value
            to     = group.key == 0 ? 1 : 2
          }
        }
      }
      dynamic "task" {
        for_each = [1, 2]
        iterator = n
        labels   = ["${group.value}${n.value}"]
        content {
          driver = "docker"
          config {
            image = "app:${n.value}-${group.value}"
            dynamic "mount" {
              for_each = var.sets
              content {
                target = "/${mount.key}/${mount.value}"
              }
            }
            dynamic "device" {
              for_each = [0]
              labels   = ["d${device.value}"]
              content {}
            }
          }
          dynamic "template" {
            for_each = n.value == 1 ? ["x"] : []
            content {
              data = template.value
            }
          }
        }
      }
      service {
        dynamic "check" {
          for_each = { (group.value) = "10s" }
          content {
            name     = check.key
            interval = check.value
          }
        }
      }
    }
  }
  dynamic "update" {
    for_each = [true]
    content {
      auto_revert = update.value
    }
  }
  dynamic "spread" {
    for_each = []
    content {}
  }
  task "single" {
    dynamic "env" {
      for_each = ["v"]
      content {
        KEY = env.value
      }
    }
  }
}
