import { enforcementOperations } from '../mfa/enforcements.ts'
import { mfaMethodOperations } from '../mfa/methods.ts'
import { oidcClientOperations } from '../oidc/clients.ts'
import { oidcProviderOperations } from '../oidc/provider.ts'
import { tokenOperations } from '../oidc/tokens.ts'
import type { Engine } from '../operation.ts'
import { entityAliasOperations, groupAliasOperations } from './aliases.ts'
import { entityOperations } from './entities.ts'
import { groupOperations } from './groups.ts'

/**
 * The identity store, which is always mounted: entities and groups with their aliases
 * (behaviour/secrets#identity), second factors, identity tokens, and OIDC providers.
 */
export const identityEngine: Engine = {
  type: 'identity',
  unauthenticatedPaths:
    /^oidc\/(?:\.well-known\/|provider\/[^/]+\/(?:\.well-known\/|token$|userinfo$))/,
  operations: [
    ...entityOperations,
    ...entityAliasOperations,
    ...groupOperations,
    ...groupAliasOperations,
    ...mfaMethodOperations,
    ...enforcementOperations,
    ...tokenOperations,
    ...oidcClientOperations,
    ...oidcProviderOperations,
  ],
}
