//! Account take-over, posing as the service, and mail sent through sign-ups and invitations.
