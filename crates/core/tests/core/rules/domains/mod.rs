mod answers;
mod minting;
mod rotation;
mod status;
mod zone;
