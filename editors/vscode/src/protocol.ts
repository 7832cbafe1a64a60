// The types of agent-doc's extensions of LSP: protocol/PROTOCOL.md, sections 6 to 8.

export const commands = {
  run: 'agentDoc.run',
  preview: 'agentDoc.preview',
  showPrompt: 'agentDoc.showPrompt',
  leaveOut: 'agentDoc.leaveOut',
  stop: 'agentDoc.stop',
  steer: 'agentDoc.steer',
  unqueue: 'agentDoc.unqueue',
  retry: 'agentDoc.retry',
  fork: 'agentDoc.fork',
  newSession: 'agentDoc.newSession',
  answer: 'agentDoc.answer',
  continueReply: 'agentDoc.continueReply',
  recoverReply: 'agentDoc.recoverReply',
  status: 'agentDoc.status',
  agents: 'agentDoc.agents',
  sessions: 'agentDoc.sessions',
} as const;

export const turnNotification = 'agentDoc/turn';

export type TurnState =
  'starting' | 'running' | 'waiting' | 'done' | 'failed' | 'cancelled' | 'interrupted';

export interface PermissionOption {
  readonly id: string;
  readonly label: string;
  readonly kind: 'allow_once' | 'allow_always' | 'widen' | 'deny';
}

export interface PermissionQuestion {
  readonly id: string;
  readonly tool: string;
  readonly detail: string;
  readonly options: readonly PermissionOption[];
}

export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly costMicros: number;
}

/** The payload of `agentDoc/turn`. */
export interface Turn {
  readonly uri: string;
  readonly turn: string;
  readonly state: TurnState;
  readonly phase:
    'starting' | 'waiting for the model' | 'thinking' | 'tool' | 'writing' | 'waiting';
  readonly status: string;
  readonly agent: string;
  readonly model: string;
  readonly sessionId: string;
  readonly usage: Usage;
  readonly elapsedMs: number;
  readonly replyLanded: boolean;
  readonly canContinue: boolean;
  readonly queued?: true;
  readonly failure?: string;
  readonly health: string;
  readonly permission?: PermissionQuestion;
}

export interface DocumentArgument {
  readonly uri: string;
}

/** The result of `agentDoc.preview`. */
export interface Preview {
  readonly agent: string;
  readonly session: 'new' | 'resume' | 'fork';
  readonly sessionId: string;
  readonly shape: 'prompt' | 'changes' | 'document';
  readonly known: boolean;
  readonly text: string;
  readonly bytes: number;
  readonly estimatedTokens: number;
  readonly changes: string;
  readonly places: number;
}

/** An element of the result of `agentDoc.agents`. */
export interface Agent {
  readonly name: string;
  readonly dialect: string;
  readonly installed: boolean;
  readonly default: boolean;
  readonly canResume: boolean;
  readonly canFork: boolean;
  readonly canList: boolean;
  readonly howToGet?: string;
}

export interface AgentList {
  readonly agents: readonly Agent[];
}

/** A session that an agent keeps. */
export interface KeptSession {
  readonly sessionId: string;
  readonly title: string;
  readonly usedMs: number | null;
}

/** The result of `agentDoc.sessions`. */
export interface SessionList {
  readonly agent: string;
  readonly folder: string;
  readonly complete: boolean;
  readonly sessions: readonly KeptSession[];
}

/** The version of the protocol in this file. */
export const knownProtocol = 1;

/** Returns a warning if the server has another protocol version, else undefined. */
export function protocolProblem(announced: unknown): string | undefined {
  const { protocol = knownProtocol, version = '' } = (announced ?? {}) as {
    protocol?: number;
    version?: string;
  };
  if (protocol === knownProtocol) return undefined;
  const advice =
    protocol > knownProtocol
      ? 'newer than this extension: update the extension'
      : 'older than this extension: update the program, or clear the setting agentDoc.server.path';
  return `agent-doc ${version} speaks protocol ${protocol}, which is ${advice} (it knows ${knownProtocol}).`;
}

export interface AnswerArgument {
  readonly turn: string;
  readonly permission: string;
  readonly option?: string;
}

/** Whether the agent is still working. */
export function isRunning(turn: Turn): boolean {
  return turn.state === 'starting' || turn.state === 'running' || turn.state === 'waiting';
}

/** Whether the agent has ended and the document has the whole reply. */
export function isFinished(turn: Turn): boolean {
  return !isRunning(turn) && turn.replyLanded;
}

/** Returns the reason in the data of an error -32803. */
export function refusalReason(error: unknown): string | undefined {
  const data = (error as { data?: { reason?: unknown } } | undefined)?.data;
  return typeof data?.reason === 'string' ? data.reason : undefined;
}
