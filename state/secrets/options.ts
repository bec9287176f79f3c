import { defineOptions, option } from '../kernel/options/options.ts'
import {
  bool,
  constant,
  intOf,
  name,
  text,
  textOf,
  uint,
  union,
  word,
} from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import type { StoredOf } from '../kernel/shape/values.ts'
import type { World } from '../kernel/worlds/world.ts'
import { databaseOptions } from './database/options.ts'
import { jwtOptions } from './jwt/options.ts'
import { directoryOptions } from './ldap/options.ts'
import { goDuration, orchOptions } from './orch/options.ts'

/** World options of the secrets service (behaviour/program#fresh-world). */
const optionShape = struct({
  rootToken: option(name, 'root', 'The root token of a fresh world'),
  randomRootToken: option(
    bool,
    false,
    'Whether a fresh world has a random root token, as on a real server, instead of rootToken',
  ),
  initialized: option(bool, true, 'Whether a fresh world is initialised'),
  start: option(
    word('furnished', 'bare', 'dev'),
    'furnished',
    'Initial contents of a fresh or newly initialised world: furnished with engines and login methods, bare as on a real server, or as on a development server: secret/, one key share, no other nodes',
  ),
  sealed: option(bool, false, 'Whether a fresh world is sealed'),
  secretShares: option(
    intOf({ minimum: 1, maximum: 255 }),
    5,
    'Number of key shares that are created',
  ),
  secretThreshold: option(
    intOf({ minimum: 1, maximum: 255 }),
    3,
    'Number of key shares that are needed to unseal',
  ),
  edition: option(
    word('enterprise', 'community'),
    'enterprise',
    'Edition of the product that is simulated',
  ),
  version: option(text, '1.14.0+ent', 'The version that health reports'),
  clusterName: option(text, 'understudy-cluster', 'The cluster name that health reports'),
  seal: option(
    word('shamir', 'stored'),
    'shamir',
    'Whether key shares unseal, or the node unseals itself and its shares are recovery shares',
  ),
  rekeyWithoutToken: option(bool, false, 'Accept rekey requests without a client token'),
  kvVersion: option(
    union(constant(1), constant(2)),
    2,
    'Version of the key-value engine at secret/',
  ),
  mountOnly: option(
    bool,
    true,
    'Whether engines and methods can be mounted that are not implemented, such as aws, radius and rabbitmq',
  ),
  pkiFault: option(
    word('none', 'ca-expired', 'crl-stale'),
    'none',
    'The failure of every PKI engine: its issuers have expired, or its CRLs end in the past',
  ),
  clientCertificateHeader: option(
    text,
    '',
    'Header with the certificate of the client (PEM, URL-encoded), for the login method cert without TLS',
  ),
  userLockout: option(
    bool,
    true,
    'Whether bad credentials lock a user out for a quarter of an hour',
  ),
  orchPath: option(textOf({ pattern: '^.+/$' }), 'orch/', 'Mount path of the orch engine'),
  cloudPath: option(
    textOf({ pattern: '^auth/.+/$' }),
    'auth/cloud/',
    'Mount path of the cloud login method',
  ),
  cloudIds: option(
    word('plain', 'ocid'),
    'plain',
    "Form of the cloud identities' ids in a fresh world",
  ),
  serviceTokenPrefix: option(text, 's.', 'Prefix of service tokens'),
  batchTokenPrefix: option(text, 'b.', 'Prefix of batch tokens'),
  clientSecretPrefix: option(text, 'so_secret_', 'Prefix of the secrets of OIDC clients'),
  tokenForm: option(
    word('plain', 'encoded'),
    'plain',
    "Form of tokens after their prefix: letters and digits, or the vendor's encoding, which root tokens do not have",
  ),
  pluginDirectory: option(
    text,
    '',
    'Directory of plug-ins, whose files are neither read nor run; if empty, no plug-in can be registered',
  ),
  ui: option(bool, true, 'Whether a page is served at /ui/, to which / redirects'),
  require_request_header: option(bool, false, 'Refuse requests without X-Secrets-Request: true'),
  cleanPathStatus: option(
    union(constant(301), constant(307)),
    301,
    'Status of redirects from paths with `//`, `.` or `..`; builds with a newer Go send 307',
  ),
  rateLimit: option(
    uint,
    0,
    'Maximum requests per second, above which requests are rejected with 429; 0: unlimited',
  ),
  indexHeaders: option(
    bool,
    false,
    'Send X-Secrets-Index after writes, and return 412 for an index that the node has not reached (enterprise)',
  ),
  replicationPause: option(
    goDuration,
    '0s',
    'How long the service is unavailable after each change of its replication mode',
  ),
  replicationTimeout: option(
    goDuration,
    '10s',
    'How long a DR secondary waits, in real time, for its primary to respond',
  ),
  ...jwtOptions,
  ...orchOptions,
  ...databaseOptions,
  ...directoryOptions,
})
export interface SecretsOptions extends StoredOf<typeof optionShape> {}

/** Definition of the options and their defaults. Fixtures and the control plane set the values. */
export const secretsOptions = defineOptions('secrets', optionShape)

export function optionsOf(world: World): SecretsOptions {
  return world.options(secretsOptions)
}

/** Returns whether the world simulates a development server (behaviour/secrets#start-state). */
export function isDevelopmentServer(world: World): boolean {
  return optionsOf(world).start === 'dev'
}

/** Returns whether the world issues and checks index states. Only the enterprise edition does. */
export function usesIndexStates(world: World, options = optionsOf(world)): boolean {
  const { indexHeaders, edition } = options
  return indexHeaders && edition === 'enterprise'
}

/** Options whose defaults differ in the vendor dialect (behaviour/secrets#vendor-names). */
export const vendorSecretsOptions: Partial<SecretsOptions> = {
  serviceTokenPrefix: 'hvs.',
  batchTokenPrefix: 'hvb.',
  clientSecretPrefix: 'hvo_secret_',
  tokenForm: 'encoded',
  orchPath: 'kubernetes/',
  orchWords: 'vendor',
  orchSoleNamespace: true,
  cloudPath: 'auth/oci/',
  cloudIds: 'ocid',
  rekeyWithoutToken: true,
}
