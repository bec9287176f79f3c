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
    'Whether the root token of a fresh world is random, as a real server makes it, instead of rootToken',
  ),
  initialized: option(bool, true, 'Whether a fresh world is initialised'),
  start: option(
    word('furnished', 'bare', 'dev'),
    'furnished',
    'Whether a fresh world, or one that is initialised, has engines and login methods, only what a real server has, or what a development server has: secret/, one key share, no other nodes',
  ),
  sealed: option(bool, false, 'Whether a fresh world is sealed'),
  secretShares: option(intOf({ minimum: 1, maximum: 255 }), 5, 'Key shares made'),
  secretThreshold: option(intOf({ minimum: 1, maximum: 255 }), 3, 'Key shares that unseal'),
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
  rekeyWithoutToken: option(bool, false, 'Rekey without a client token'),
  kvVersion: option(
    union(constant(1), constant(2)),
    2,
    'Version of the key-value engine at secret/',
  ),
  mountOnly: option(
    bool,
    true,
    'Whether engines and methods can be mounted that have nothing inside: aws, radius, rabbitmq and their like',
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
  orchPath: option(textOf({ pattern: '^.+/$' }), 'orch/', 'Where the orch engine is'),
  cloudPath: option(
    textOf({ pattern: '^auth/.+/$' }),
    'auth/cloud/',
    'Where the cloud login method is',
  ),
  cloudIds: option(
    word('plain', 'ocid'),
    'plain',
    'What the ids of the cloud identities of a fresh world look like',
  ),
  serviceTokenPrefix: option(text, 's.', 'What service tokens begin with'),
  batchTokenPrefix: option(text, 'b.', 'What batch tokens begin with'),
  clientSecretPrefix: option(text, 'so_secret_', 'What secrets of OIDC clients begin with'),
  tokenForm: option(
    word('plain', 'encoded'),
    'plain',
    'Whether tokens are letters and digits after their prefix, or, but for root tokens, encoded as the vendor does',
  ),
  pluginDirectory: option(
    text,
    '',
    'Directory of plug-ins; without one, none can be registered. Nothing in it is read or run',
  ),
  ui: option(bool, true, 'Whether there is a page at /ui/, to which / leads'),
  require_request_header: option(bool, false, 'Refuse requests without X-Secrets-Request: true'),
  cleanPathStatus: option(
    union(constant(301), constant(307)),
    301,
    'Status of the redirect of a path with `//`, `.` or `..`; 307 is that of builds with a newer Go',
  ),
  rateLimit: option(uint, 0, 'Requests a second, above which 429 is answered; 0 for any number'),
  indexHeaders: option(
    bool,
    false,
    'Send X-Secrets-Index after writes and answer 412 when behind it (enterprise)',
  ),
  replicationPause: option(
    goDuration,
    '0s',
    'How long the service is away after each change of its replication mode',
  ),
  replicationTimeout: option(
    goDuration,
    '10s',
    'How long a DR secondary waits, in real time, for a word of its primary',
  ),
  ...jwtOptions,
  ...orchOptions,
  ...databaseOptions,
  ...directoryOptions,
})
export interface SecretsOptions extends StoredOf<typeof optionShape> {}

/** The options with their defaults, as fixtures and the control plane set them. */
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
