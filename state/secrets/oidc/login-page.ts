import { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { entitiesIn, findEntity, findEntityByName } from '../identity/entities.ts'
import { optionsOf } from '../options.ts'
import { type AuthorizationRequest, authorize } from './authorize.ts'
import { clientById, isRedirectAllowed } from './clients.ts'
import type { ProviderContext } from './exchange.ts'
import { refuse } from './grant-messages.ts'
import { loginDecision } from './logins.ts'

/**
 * The reply of a provider's login page: a redirect to the client, a choice of users, or an error
 * page.
 */
export type LoginPageAnswer =
  | { readonly kind: 'redirect'; readonly location: string }
  | { readonly kind: 'choose'; readonly names: readonly string[] }
  | { readonly kind: 'refused'; readonly why: string }

/**
 * Handles a browser's request to log in at a provider (behaviour/secrets#oidc-login). The user is
 * determined by a forced transition, by `chosen`, or by the option `oidcLogin`, in this order.
 * Otherwise the page shows a choice of users. A refusal becomes a redirect with an error or, if the
 * redirect address is not allowed, an error page.
 *
 * @param chosen id or name of an entity; empty before the choice
 */
export function answerLoginPage(
  world: World,
  { mount, namespace, provider }: ProviderContext,
  request: AuthorizationRequest,
  state: string,
  chosen: string,
): LoginPageAnswer {
  const decision = loginDecision(world, state)
  const requestedUser = decision || chosen || optionsOf(world).oidcLogin
  if (requestedUser === '' && decision !== null) {
    return { kind: 'choose', names: entitiesIn(world, namespace).map(({ name }) => name) }
  }
  const entity =
    findEntity(world, namespace, requestedUser) ?? findEntityByName(world, namespace, requestedUser)
  try {
    if (decision === null) throw refuse('oidc-login-denied')
    const code = authorize(world, mount, provider, request, {
      entity_id: entity?.id ?? '',
      namespace: namespace.id,
      creation_time: world.clock.now(),
    })
    return redirectTo(request.redirect_uri, { code, state })
  } catch (failure) {
    if (!(failure instanceof Refusal)) throw failure
    const allowed = clientById(world, mount, request.client_id)?.redirect_uris ?? []
    if (!isRedirectAllowed(request.redirect_uri, allowed)) {
      return { kind: 'refused', why: failure.message }
    }
    return redirectWithError(request.redirect_uri, failure, state)
  }
}

/** Returns the redirect that reports a refusal to the client as an OAuth error. */
export function redirectWithError(
  address: string,
  failure: Refusal,
  state: string,
): LoginPageAnswer {
  const error = String(failure.detail['oauth'] ?? 'server_error')
  return redirectTo(address, { error, error_description: failure.message, state })
}

/** Returns the redirect to an address with query parameters. */
export function redirectTo(
  address: string,
  parameters: Readonly<Record<string, string>>,
): LoginPageAnswer {
  const url = new URL(address)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return { kind: 'redirect', location: url.href }
}
