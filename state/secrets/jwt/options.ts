import { option } from '../../kernel/options/options.ts'
import { any, list, map, text, word } from '../../kernel/shape/kinds.ts'
import { described, optional, struct } from '../../kernel/shape/members.ts'

const simulatedIssuerOption = struct({
  clients: described(map(text), 'Secrets of the clients by id'),
  users: described(
    map(struct({ claims: map(any) })),
    'People by name; `sub` is the name by default',
  ),
  login: optional(
    described(text, 'Name of the person who logs in; the page has a choice without it'),
  ),
  scopes: optional(
    described(list(text), 'Scopes beside `openid` that the discovery document names'),
  ),
})

/**
 * World options for logins with JWTs and OIDC: key sets and whether they are fetched, simulated
 * issuers, and the entity that the login page of OIDC providers logs in.
 */
export const jwtOptions = {
  jwtFetch: option(
    word('none', 'loopback', 'any'),
    'none',
    'From where the login method jwt fetches keys: nowhere, this machine, or anywhere',
  ),
  jwtKeys: option(
    map(struct({ keys: list(map(any)) })),
    {},
    'Key sets (JWKS) by the `jwks_url` or `oidc_discovery_url` that they stand for, which is not fetched then',
  ),
  oidcIssuers: option(
    map(simulatedIssuerOption),
    {},
    'Issuers of identity tokens that this server simulates for logins in a browser, by their `iss` URL',
  ),
  oidcLogin: option(
    text,
    '',
    'Name or id of the entity that the login page of OIDC providers logs in; empty: the user selects an entity',
  ),
} as const
