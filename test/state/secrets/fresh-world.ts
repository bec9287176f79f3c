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

/** Time of the clocks in these tests: 2026-01-01T00:00:00Z. */
export const startTime = 1_767_225_600_000

/** Builds a world with only the secrets service: frozen clock, seed `test`, frozen rows. */
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

/** Creates a token with defaults except the given members. */
export function makeToken(world: World, spec: Partial<TokenSpec> = {}): Token {
  return create(world, spec).token
}

/** Creates a token as `makeToken` does, and returns its warnings. */
export function create(world: World, spec: Partial<TokenSpec> = {}): CreatedToken {
  return createToken(world, {
    policies: ['default'],
    displayName: 'token',
    path: 'auth/token/create',
    ...spec,
  })
}

/** Creates a token with one policy per document, named `p0`, `p1` and so on. */
export function tokenWith(world: World, ...documents: readonly string[]): Token {
  const names = documents.map((_, at) => `p${at}`)
  documents.forEach((document, at) => {
    writePolicy(world, rootNamespace, `p${at}`, document)
  })
  return makeToken(world, { policies: sanitizePolicies(names, false) })
}
