import * as oauth from "oauth4webapi";
import { deviceError } from "./device-error.ts";

/** With what the user of a token is found out. */
export interface TokenOwner {
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly token: oauth.TokenEndpointResponse;
  readonly options: oauth.UserInfoRequestOptions;
}

/** What may name a user in policy, log and listings. */
const USER = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}$/;

/**
 * Name of the user whom a token belongs to: `preferred_username`, else `sub`, of the userinfo endpoint, else of the ID token.
 * @throws DeviceLoginError when there is none, or one that cannot name a user
 */
export async function userOf({ server, client, token, options }: TokenOwner): Promise<string> {
  const claims = oauth.getValidatedIdTokenClaims(token);
  const info = server.userinfo_endpoint === undefined ? undefined : await userInfo({ server, client, token, options }, claims?.sub);
  const name = [info?.["preferred_username"], info?.["sub"], claims?.["preferred_username"], claims?.sub].find(
    (value) => value !== undefined,
  );
  if (typeof name !== "string" || !USER.test(name)) throw deviceError("the authorization server does not say who logged in");
  return name;
}

async function userInfo({ server, client, token, options }: TokenOwner, subject: string | undefined): Promise<oauth.UserInfoResponse> {
  const response = await oauth.userInfoRequest(server, client, token.access_token, options);
  return oauth.processUserInfoResponse(server, client, subject ?? oauth.skipSubjectCheck, response);
}
