import type { Choice } from '../../http/coverage.ts'

const unsupported = 'Not served yet: 404 `unsupported path`.'

/** An area of the specification that has no operations yet. */
function area(id: string, about: string, where: string): Choice {
  return { id, about, choice: unsupported, evidence: 'gap', where }
}

/** Where the specification asks for more than is done. */
export const gaps: readonly Choice[] = [
  area(
    'gap-identity',
    'The engine at `identity/`, which is mounted.',
    '1-secrets-decisions.md section 3, Start state',
  ),
]
