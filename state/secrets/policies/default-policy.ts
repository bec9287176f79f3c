/**
 * The document of the policy `default`: the rights of every token concerning itself
 * (behaviour/secrets#policies).
 */
export const defaultPolicy = `# What every token may do about itself.

# Its own token
path "auth/token/lookup-self" { capabilities = ["read"] }
path "auth/token/renew-self"  { capabilities = ["update"] }
path "auth/token/revoke-self" { capabilities = ["update"] }

# Its own capabilities, and what all its policies come to
path "sys/capabilities-self"         { capabilities = ["update"] }
path "sys/internal/ui/resultant-acl" { capabilities = ["read"] }

# Its own entity
path "identity/entity/id/{{identity.entity.id}}"     { capabilities = ["read"] }
path "identity/entity/name/{{identity.entity.name}}" { capabilities = ["read"] }

# Leases whose id it knows
path "sys/leases/renew"  { capabilities = ["update"] }
path "sys/leases/lookup" { capabilities = ["update"] }
path "sys/renew"         { capabilities = ["update"] }

# Its private storage
path "cubbyhole/*" { capabilities = ["create", "read", "update", "delete", "list"] }

# Wrapped answers
path "sys/wrapping/wrap"   { capabilities = ["update"] }
path "sys/wrapping/lookup" { capabilities = ["update"] }
path "sys/wrapping/unwrap" { capabilities = ["update"] }

# General tools
path "sys/tools/hash"   { capabilities = ["update"] }
path "sys/tools/hash/*" { capabilities = ["update"] }
`

/**
 * The document of the policy `response-wrapping` of wrapping tokens, which may only unwrap their
 * content.
 */
export const wrappingPolicy = `path "cubbyhole/response" { capabilities = ["create", "read"] }
path "sys/wrapping/unwrap" { capabilities = ["update"] }
`
