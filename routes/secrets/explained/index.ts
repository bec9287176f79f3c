import type { World } from '../../state/kernel/world.ts'
import { mountsIn } from '../../state/secrets/mounts/mounts.ts'
import { rootNamespace } from '../../state/secrets/namespaces/namespaces.ts'
import type { Address, Explains } from '../http/explains.ts'
import { methods } from './coverage.ts'
import { engineType, secretsEngines } from './engines.ts'

/** What a request is refused for before its operation looks at it, in the order of section 1. */
const checks: Explains['checks'] = [
  {
    name: 'path',
    rules: ['path-relative', 'path-escape-invalid', 'verb-unknown', 'list-no-boolean'],
  },
  { name: 'rate limit', rules: ['rate-limit-exceeded'] },
  {
    name: 'body',
    rules: ['body-unreadable', 'body-too-large', 'bare-body-unreadable', 'bare-body-too-large'],
  },
  { name: 'content type', rules: ['content-type-unsupported', 'media-type-missing'] },
  { name: 'wrapping', rules: ['wrap-ttl-negative', 'wrap-ttl-unreadable'] },
  { name: 'request header', rules: ['request-header-missing'] },
  { name: 'seal', rules: ['sealed'] },
  { name: 'folder', rules: ['write-to-folder'] },
  { name: 'replication', rules: ['disabled-on-secondary'] },
  { name: 'index', rules: ['index-state-ahead', 'index-state-form', 'index-state-mac'] },
  {
    name: 'namespace',
    rules: ['namespace-not-found', 'namespaces-not-enabled', 'unavailable-in-namespaces'],
  },
  { name: 'edition', rules: ['enterprise-only'] },
  { name: 'token', rules: ['token-refused', 'token-unknown'] },
  { name: 'access', rules: ['acl-denied'] },
  {
    name: 'route',
    rules: ['route-unknown', 'unsupported-path', 'unsupported-operation', 'method-not-allowed'],
  },
  { name: 'fields', rules: ['field-unconvertible', 'field-validation-failed'] },
]

/** The operations of what is mounted in the root namespace. */
function addresses(world: World): readonly Address[] {
  return mountsIn(world, rootNamespace).flatMap((mount) => {
    const type = engineType(mount)
    const engine = secretsEngines.find((each) => each.type === type)
    return (engine?.operations ?? []).map(({ id, verb, path }) => ({
      operation: id,
      method: methods[verb],
      path: `/v1/${mount.path}${path}`,
    }))
  })
}

/** What the secrets API knows of its refusals (CONTROL section 4). */
export const explained: Explains = {
  checks,
  spec: '1-secrets-decisions.md › section 1',
  addresses,
}
