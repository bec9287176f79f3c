job "fetch" {
  group "g" {
    task "t" {
      artifact {
        source      = "https://example.com/file.tar.gz"
        destination = "local/bin"
        mode        = "file"
        insecure    = true
        chown       = true
        options {
          checksum = "md5:df6a4178aec9fbdc1d6d7e3634d1bc33"
          depth    = 1
        }
        headers {
          X-Token = "${SECRET_TOKEN}"
        }
      }
      artifact {
        source = "git::https://example.com/repo"
      }
    }
  }
}
