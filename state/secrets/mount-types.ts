/** Secrets engines that can be mounted. Later engines add themselves here. */
export const secretsEngineTypes: readonly string[] = ['kv', 'orch']

/** Authentication methods that can be enabled. */
export const authMethodTypes: readonly string[] = ['cloud']

/** Types of which there is one in each namespace, mounted from the beginning. */
export const singletonTypes: readonly string[] = ['cubbyhole', 'system', 'token', 'identity']

/** Where no secrets engine can be mounted, moved or removed. */
export const protectedPaths: readonly string[] = [
  'audit/',
  'auth/',
  'sys/',
  'cubbyhole/',
  'identity/',
]

/** Whose tuning is fixed. */
export const untunablePaths: readonly string[] = ['cubbyhole/', 'sys/', 'audit/', 'identity/']

/** The authentication method that cannot be moved or removed. */
export const tokenMountPath = 'auth/token/'

/** Whether a path is one of some paths or lies below one. */
export function within(path: string, paths: readonly string[]): boolean {
  return paths.some((prefix) => path.startsWith(prefix))
}
