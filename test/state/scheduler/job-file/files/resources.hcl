job "hungry" {
  group "g" {
    task "t" {
      driver = "docker"
      resources {
        cpu        = 500
        cores      = 2
        memory     = 256
        memory_max = 512
        disk       = 10
        iops       = 1
        secrets    = 5
        network {
          mbits = 10
          port "http" {}
          port "ssh" {
            static = 22
          }
        }
        device "nvidia/gpu" {
          count = 2
          constraint {
            attribute = "${device.attr.memory}"
            operator  = ">="
            value     = "2 GiB"
          }
          affinity {
            attribute = "${device.attr.memory}"
            operator  = ">="
            value     = "4 GiB"
            weight    = 75
          }
        }
        device "fpga" {}
        numa {
          affinity = "require"
          devices  = ["nvidia/gpu"]
        }
      }
    }
    task "u" {
      driver = "docker"
      resources {}
    }
  }
}
