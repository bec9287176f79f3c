import { oidcClientOperations } from './clients.ts'
import { oidcProviderOperations } from './provider.ts'
import { tokenOperations } from './tokens.ts'

/**
 * Operations on identity tokens and OIDC providers, which the identity store of each namespace has.
 */
export const identityTokenOperations = [
  ...tokenOperations,
  ...oidcClientOperations,
  ...oidcProviderOperations,
]
