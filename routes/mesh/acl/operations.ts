import { policyOperations } from './policies.ts'
import { roleOperations } from './roles.ts'
import { tokenOperations } from './tokens.ts'

/** The ACL system's operations. */
export const aclOperations = [...tokenOperations, ...policyOperations, ...roleOperations]
