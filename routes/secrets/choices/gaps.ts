import type { Choice } from '../../http/coverage.ts'

const unsupported = 'Not served yet: 404 `unsupported path`.'

/** An area of the specification that has no operations yet. */
function area(id: string, about: string, where: string): Choice {
  return { id, about, choice: unsupported, evidence: 'gap', where }
}

/** Where the specification asks for more than is done. */
export const gaps: readonly Choice[] = [
  {
    id: 'gap-wrapping',
    about: 'Response wrapping.',
    choice:
      'A bad `X-Secrets-Wrap-TTL` is refused and a good one counts in policies, but no reply is wrapped; `sys/wrapping/` is not served.',
    evidence: 'gap',
    where: '1-secrets-decisions.md section 1, Wrapping',
  },
  {
    id: 'gap-help-openapi',
    about: 'The OpenAPI document in help.',
    choice: 'It is there, without any path.',
    evidence: 'gap',
    where: '1-secrets-decisions.md section 1, Help',
  },
  {
    id: 'gap-index-headers',
    about: '`X-Secrets-Index` and `X-Secrets-Inconsistent`.',
    choice: 'Neither sent nor read.',
    evidence: 'gap',
    where: '1-secrets-decisions.md section 1, 412',
  },
  {
    id: 'gap-rate-limit',
    about: 'Refusing requests above a rate.',
    choice: '`--rate-limit` is taken, but has no effect.',
    evidence: 'gap',
    where: '1-secrets-decisions.md section 1, Rate limit',
  },
  area('gap-cors', 'CORS settings.', '1-secrets-decisions.md section 1, CORS'),
  area('gap-namespaces', 'Namespaces: none can be made.', '1-secrets-decisions.md section 3'),
  area('gap-password-policies', 'Password policies.', '1-secrets-decisions.md section 4'),
  area('gap-rekey', 'Rekey.', '1-secrets-decisions.md section 5'),
  area(
    'gap-replication',
    'DR replication and its operation tokens.',
    '1-secrets-decisions.md section 7',
  ),
  area('gap-orch', 'The engine at `orch/`, which is mounted.', '1-secrets-decisions.md section 9'),
  area(
    'gap-cloud',
    'The method at `auth/cloud/`, which is mounted.',
    '1-secrets-decisions.md section 10',
  ),
  area(
    'gap-identity',
    'The engine at `identity/`, which is mounted.',
    '1-secrets-decisions.md section 3, Start state',
  ),
]
