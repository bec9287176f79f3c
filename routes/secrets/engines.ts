import {
  isAuthMount,
  isKeyValue,
  isVersioned,
  type Mount,
} from '../../state/secrets/mounts/mounts.ts'
import { plainType } from '../../state/secrets/mounts/types.ts'
import { approleEngine } from './auth/approle/index.ts'
import { certEngine } from './auth/cert.ts'
import { cloudEngine } from './auth/cloud.ts'
import { githubEngine } from './auth/github.ts'
import { jwtEngine } from './auth/jwt/index.ts'
import { ldapEngine } from './auth/ldap.ts'
import { oktaEngine } from './auth/okta.ts'
import { orchLoginEngine } from './auth/orch.ts'
import { tokenEngine } from './auth/token.ts'
import { userpassEngine } from './auth/userpass.ts'
import { cubbyholeEngine } from './engines/cubbyhole.ts'
import { databaseEngine } from './engines/database.ts'
import { kv1Engine } from './engines/kv1.ts'
import { kv2Engine } from './engines/kv2.ts'
import { orchEngine } from './engines/orch.ts'
import { sshEngine } from './engines/ssh.ts'
import { totpEngine } from './engines/totp.ts'
import { identityEngine } from './identity/index.ts'
import type { Engine } from './operation.ts'
import { pkiEngine } from './pki/index.ts'
import { systemEngine } from './sys/index.ts'
import { transitEngine } from './transit/index.ts'

/**
 * All engines and login methods that are implemented. Mounts of other types answer with
 * `unsupported path`.
 */
export const secretsEngines: readonly Engine[] = [
  systemEngine,
  tokenEngine,
  cloudEngine,
  approleEngine,
  userpassEngine,
  jwtEngine,
  ldapEngine,
  certEngine,
  githubEngine,
  oktaEngine,
  orchLoginEngine,
  identityEngine,
  cubbyholeEngine,
  kv1Engine,
  kv2Engine,
  orchEngine,
  databaseEngine,
  totpEngine,
  sshEngine,
  transitEngine,
  pkiEngine,
]

/**
 * Returns the type of the engine that serves a mount. The engine `jwt` also serves mounts of the
 * type `oidc`, and `orch-login` serves mounts of the type `orch` below `auth/`. For a key-value
 * mount, the options determine the version.
 */
export function engineType(mount: Mount): string {
  if (mount.type === 'oidc') return jwtEngine.type
  if (mount.type === 'orch' && isAuthMount(mount)) return orchLoginEngine.type
  if (!isKeyValue(mount)) return plainType(mount.type)
  return isVersioned(mount) ? kv2Engine.type : kv1Engine.type
}

/** Returns the type of an engine's mounts, such as `orch` for the engine `orch-login`. */
export function mountedType(type: string): string {
  return secretsEngines.find((engine) => engine.type === type)?.mountedType ?? type
}
