import { World } from '../../../state/kernel/worlds/world.ts'
import { rootNamespace } from '../../../state/secrets/namespaces/namespaces.ts'
import type { SecretsOptions } from '../../../state/secrets/options.ts'
import { writePolicy } from '../../../state/secrets/policies/policies.ts'
import { secretsService } from '../../../state/secrets/service.ts'
import {
  type CreatedToken,
  createToken,
  sanitizePolicies,
  type TokenSpec,
} from '../../../state/secrets/tokens/creation.ts'
import type { Token } from '../../../state/secrets/tokens/tokens.ts'

/** The instant at which the clocks of these tests stand: 2026-01-01T00:00:00Z. */
export const startTime = 1_767_225_600_000

/** A world of the secrets service alone: frozen clock, seed `test`, rows that must not change. */
export function freshWorld(secrets: Partial<SecretsOptions> = {}): World {
  return new World({
    id: 'test',
    seed: 'test',
    services: [secretsService],
    clock: { mode: 'frozen', at: startTime },
    options: { secrets },
    freezeRows: true,
    onError: (error) => {
      throw error
    },
  })
}

/** A token that differs from the plainest one as told. */
export function makeToken(world: World, spec: Partial<TokenSpec> = {}): Token {
  return create(world, spec).token
}

/** The same with the warnings. */
export function create(world: World, spec: Partial<TokenSpec> = {}): CreatedToken {
  return createToken(world, {
    policies: ['default'],
    displayName: 'token',
    path: 'auth/token/create',
    ...spec,
  })
}

/** A token with the policies `p0`, `p1` and so on of these documents. */
export function tokenWith(world: World, ...documents: readonly string[]): Token {
  const names = documents.map((_, at) => `p${at}`)
  documents.forEach((document, at) => {
    writePolicy(world, rootNamespace, `p${at}`, document)
  })
  return makeToken(world, { policies: sanitizePolicies(names, false) })
}
