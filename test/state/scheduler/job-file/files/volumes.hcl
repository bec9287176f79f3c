job "stateful" {
  group "db" {
    volume "data" {
      type            = "csi"
      source          = "pg"
      read_only       = false
      access_mode     = "single-node-writer"
      attachment_mode = "file-system"
      per_alloc       = true
      mount_options {
        fs_type     = "ext4"
        mount_flags = ["noatime", "rw"]
      }
    }
    volume "certs" {
      type      = "host"
      source    = "ca"
      read_only = true
    }
    task "pg" {
      driver = "docker"
      volume_mount {
        volume           = "data"
        destination      = "/var/lib/pg"
        propagation_mode = "private"
        selinux_label    = "Z"
      }
      volume_mount {
        volume      = "certs"
        destination = "/certs"
        read_only   = true
      }
    }
    task "plugin" {
      driver = "docker"
      csi_plugin {
        id                     = "org.example.csi"
        type                   = "monolith"
        mount_dir              = "/csi"
        stage_publish_base_dir = "/local/csi"
        health_timeout         = "30s"
      }
    }
  }
}
