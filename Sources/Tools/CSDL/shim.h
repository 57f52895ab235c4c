#ifndef CSDL_SHIM_H
#define CSDL_SHIM_H
#define SDL_MAIN_HANDLED
#include <SDL2/SDL.h>
#include <SDL2/SDL_ttf.h>

// Macros that Swift does not import.
static const int CSDL_CENTERED = SDL_WINDOWPOS_CENTERED;
static const Uint32 CSDL_FULLSCREEN = SDL_WINDOW_FULLSCREEN_DESKTOP;
static const Uint32 CSDL_RESIZABLE = SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI;

#endif
