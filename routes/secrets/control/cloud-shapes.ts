import { bool, name as id, list, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'

/** Shapes of control plane bodies about the simulated cloud behind the login method `cloud`. */

/** The identity and the role of a login. */
export const cloudLoginShape = struct({
  role: described(id, 'Role of the login; it need not exist'),
  mount: optional(described(id, 'Path of the method; default: its path in a fresh world')),
  user: optional(described(id, 'Default: the user of a fresh world')),
  instance: optional(described(id, 'Replaces the user')),
})

const headerShape = list(text)

/** Body of a login request to the secrets API. */
export const cloudLoginBodyShape = struct({
  request_headers: described(
    withOthers(
      struct({
        date: headerShape,
        '(request-target)': headerShape,
        host: headerShape,
        'content-type': headerShape,
        authorization: headerShape,
      }),
      headerShape,
    ),
    'Signed headers by name',
  ),
})

const keyShape = struct({
  fingerprint: text,
  public_key: described(text, 'PEM'),
  signs: described(bool, 'Whether the private key is known, so that logins can be signed'),
})

/** All identities. */
export const cloudViewShape = struct({
  tenancies: list(text),
  users: list(
    struct({
      id,
      tenancy: id,
      groups: list(text),
      keys: described(list(keyShape), 'Empty until one is needed'),
    }),
  ),
  instances: list(
    struct({
      id,
      tenancy: id,
      dynamic_groups: list(text),
      key: described(nullable(keyShape), 'Null until one is needed'),
    }),
  ),
})
