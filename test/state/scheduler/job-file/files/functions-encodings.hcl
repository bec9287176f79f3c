job "encodings" {
  meta {
    base64decode = base64decode("SGVsbG8=")
    base64encode = base64encode("Hello")
    csvdecode    = jsonencode(csvdecode("a,b\n1,2\n3,4\n"))
    jsondecode   = jsondecode("{\"a\": [1, true]}").a[0]
    jsonencode   = jsonencode({ b = [1, null], a = "<x>" })
    urlencode    = urlencode("a b&c=ü")
    yamldecode   = yamldecode("a: [1, two]\nb: true\n").a[1]
    yamlencode   = yamlencode({ a = 1 })
    md5          = md5("hello")
    sha1         = sha1("hello")
    sha256       = sha256("hello")
    sha512       = sha512("hello")
    uuidv4       = uuidv4()
    uuidv5       = uuidv5("dns", "www.example.com")
    formatdate   = formatdate("DD MMM YYYY hh:mm ZZZ", "2018-01-02T23:12:01Z")
    timeadd      = timeadd("2017-11-22T00:00:00Z", "10m")
    cidrhost     = cidrhost("10.12.112.0/20", 16)
    cidrnetmask  = cidrnetmask("172.16.0.0/12")
    cidrsubnet   = cidrsubnet("172.16.0.0/12", 4, 2)
    cidrsubnets  = jsonencode(cidrsubnets("10.1.0.0/16", 4, 4, 8))
    can          = can(jsondecode("{"))
    convert      = convert("12", number) + 1
    try          = try(local.nothing, "fallback")
  }
}
locals {}
