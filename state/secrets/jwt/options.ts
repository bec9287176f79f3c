import { option } from '../../kernel/options/options.ts'
import { any, list, map, text, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'

/** World options about the keys of the method jwt. */
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
  oidcLogin: option(
    text,
    '',
    'Name or id of the entity that the login page of OIDC providers logs in; empty for a page with a choice',
  ),
} as const
